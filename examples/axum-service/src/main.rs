//! The service on port 3000: `curl -N -H 'content-type: application/json' -d '{"customer": "7", "text": "Hello?"}' localhost:3000/reply`
//!
//! `GSW_MODEL=sim/default` answers without a key.

use std::error::Error;

use axum_service::support::{self, Customer, CustomerInput, Tools};
use groundswell::{Host, ToolError};

/// Stands for the database of the service.
struct Database;

impl Tools for Database {
    async fn customer(&self, input: CustomerInput) -> Result<Option<Customer>, ToolError> {
        Ok((input.id == "7").then(|| Customer {
            name: "Ada".into(),
            open_invoices: 2,
        }))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let builder = Host::builder(support::program()?);
    let host = support::with_tools(builder, Database).build()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, axum_service::service(host)).await?;
    Ok(())
}
