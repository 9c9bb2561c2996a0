//! Unguessable values: the state of an authorization request, and the PKCE verifier.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gsw_driver::servers::ServerFailure;
use sha2::{Digest, Sha256};

use crate::mcp::authorization::exchange::failed;

pub(super) struct Proof {
    /// Returned with the answer.
    pub state: String,
    /// Shown to get the token.
    pub verifier: String,
}

impl Proof {
    pub fn new() -> Result<Self, ServerFailure> {
        Ok(Self {
            state: random()?,
            verifier: random()?,
        })
    }

    /// What is shown of the verifier with the question, by `S256`.
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.as_bytes()))
    }
}

fn random() -> Result<String, ServerFailure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| failed(format!("the system gives no random numbers: {error}")))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::Proof;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        let proof = Proof {
            state: String::new(),
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".into(),
        };
        assert_eq!(
            proof.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn no_two_are_alike() {
        let (one, other) = (Proof::new().expect("random"), Proof::new().expect("random"));
        assert_eq!(one.verifier.len(), 43);
        assert_ne!((one.state, one.verifier), (other.state, other.verifier));
    }
}
