//! The way of messages through the pipes of the process: one on each line, and an answer to each line that is none.

use std::pin::Pin;
use std::sync::Arc;

use gsw_notation::json::MAX_DEPTH;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use tokio::io::{AsyncBufReadExt, BufReader, Empty, empty};

use crate::mcp::calls::Calls;
use crate::mcp::read::{self, Refused};

/// The longest line, in bytes.
const LONGEST: usize = 16 << 20;
/// What some programs write before a text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Both ends, for a server of the protocol.
pub struct Pipes {
    reader: BufReader<StdioReader>,
    /// Of the line that is read. It is kept here because reading is broken off whenever something else happens.
    line: Vec<u8>,
    /// Whether the line is too long, and its rest is only waited for.
    passing: bool,
    /// Only the half that writes is used.
    writer: AsyncRwTransport<RoleServer, Empty, StdioWriter>,
    /// The answer to a line that is no message, until it is written.
    answering: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    calls: Arc<Calls>,
}

impl Pipes {
    /// Those of the process, which has no others.
    #[must_use]
    pub fn open() -> Self {
        let (reader, writer) = stdio_pipes();
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            passing: false,
            writer: AsyncRwTransport::new(empty(), writer),
            answering: None,
            calls: Arc::default(),
        }
    }

    /// Reads a whole line; `None` at the end of input.
    async fn next_line(&mut self) -> Option<Result<(), Refused>> {
        loop {
            // A pipe that fails has ended.
            let held = self.reader.fill_buf().await.ok()?;
            if held.is_empty() {
                return None;
            }
            let end = held.iter().position(|it| *it == b'\n');
            let part = &held[..end.unwrap_or(held.len())];
            if !self.passing {
                self.passing = self.line.len() + part.len() > LONGEST;
                self.line.extend_from_slice(part);
            }
            if self.passing {
                self.line = Vec::new();
            }
            let taken = end.map_or(held.len(), |it| it + 1);
            self.reader.consume(taken);
            if end.is_some() {
                let passed = std::mem::take(&mut self.passing);
                return Some(match passed {
                    true => Err(Refused::too_long(LONGEST)),
                    false => Ok(()),
                });
            }
        }
    }

    /// The message on the line that was read; none where it is empty.
    fn understood(&mut self) -> Option<Result<ClientJsonRpcMessage, Refused>> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(MARK).unwrap_or(&line).trim_ascii();
        (!text.is_empty()).then(|| read::message(text, MAX_DEPTH))
    }

    fn answer(&mut self, answer: ServerJsonRpcMessage) {
        let sent = self.writer.send(answer);
        self.answering = Some(Box::pin(async move {
            // A client that has gone is noticed by its other end.
            let _ = sent.await;
        }));
    }
}

impl Transport<RoleServer> for Pipes {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.calls.said(&message);
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answering) = &mut self.answering {
                answering.await;
                self.answering = None;
            }
            let understood = match self.next_line().await? {
                Ok(()) => self.understood(),
                Err(refused) => Some(Err(refused)),
            };
            match understood {
                None => {}
                Some(Err(refused)) => {
                    if let Some(answer) = refused.answer() {
                        self.answer(answer);
                    }
                }
                Some(Ok(mut message)) => match self.calls.heard(&mut message) {
                    Ok(()) => return Some(message),
                    Err(answer) => self.answer(*answer),
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.writer.close().await
    }
}
