//! Connections of HTTP/2, and how replies are played on them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_rustls::server::TlsStream;

use crate::http::{LARGEST, Request};
use crate::reply;
use crate::script::{Body, Reply};
use crate::server::{Present, Stage};

/// Requests at once on a connection, as most servers allow.
const STREAMS: u32 = 100;
/// Until what was sent before an abrupt end has left.
const LEAVING: Duration = Duration::from_millis(20);

/// Serves a connection until the client leaves.
pub(crate) async fn serve(
    socket: TlsStream<TcpStream>,
    stage: Arc<Stage>,
    number: usize,
) -> io::Result<()> {
    let mut builder = h2::server::Builder::new();
    let builder = builder.max_concurrent_streams(STREAMS);
    let mut connection = builder.handshake(socket).await.map_err(io::Error::other)?;
    let closing = Arc::new(Notify::new());
    loop {
        tokio::select! {
            () = closing.notified() => connection.graceful_shutdown(),
            accepted = connection.accept() => {
                let Some(accepted) = accepted else { return Ok(()) };
                let (request, respond) = accepted.map_err(io::Error::other)?;
                let (stage, closing) = (Arc::clone(&stage), Arc::clone(&closing));
                tokio::spawn(async move {
                    // A client may give a request up at any time.
                    answer(request, respond, &stage, number, &closing).await.ok()
                });
            }
        }
    }
}

async fn answer(
    request: http::Request<RecvStream>,
    respond: SendResponse<Bytes>,
    stage: &Stage,
    number: usize,
    closing: &Notify,
) -> Result<(), h2::Error> {
    let mut request = read(request).await?;
    let present = Present::of(stage);
    request.in_flight = present.count;
    request.connection = number;
    let reply = stage.reply(&request);
    play(&reply, &request, respond).await?;
    if reply.close {
        closing.notify_one();
    }
    Ok(())
}

async fn read(request: http::Request<RecvStream>) -> Result<Request, h2::Error> {
    let (head, mut body) = request.into_parts();
    let mut text = Vec::new();
    while let Some(piece) = body.data().await.transpose()? {
        body.flow_control().release_capacity(piece.len())?;
        text.extend_from_slice(&piece);
        if text.len() > LARGEST {
            return Err(Reason::ENHANCE_YOUR_CALM.into());
        }
    }
    let headers = head.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), value.into_owned())
    });
    Ok(Request {
        method: head.method.to_string(),
        path: head
            .uri
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default(),
        headers: headers.collect(),
        body: String::from_utf8_lossy(&text).into_owned(),
        in_flight: 0,
        connection: 0,
        version: 2,
    })
}

async fn play(
    reply: &Reply,
    request: &Request,
    mut respond: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    sleep(Duration::from_millis(reply.delay_ms)).await;
    if reply.refuse {
        respond.send_reset(Reason::REFUSED_STREAM);
        return Ok(());
    }
    if let Body::Raw(_) = &reply.body {
        respond.send_reset(Reason::PROTOCOL_ERROR);
        return Ok(());
    }
    let (content_type, body) = reply::content(&reply.body, request);
    let mut response = http::Response::builder().status(reply.status);
    for (name, value) in reply::headers(reply, content_type) {
        response = response.header(name, value);
    }
    // A script whose headers are none ends the request.
    let response = response.body(()).map_err(|_| Reason::INTERNAL_ERROR)?;
    let mut stream = respond.send_response(response, false)?;
    let end = reply.drop_at.unwrap_or(body.len()).min(body.len());
    send(&body[..end], reply, &mut stream).await?;
    if reply.drop_at.is_some() {
        sleep(LEAVING).await;
        stream.send_reset(Reason::INTERNAL_ERROR);
        return Ok(());
    }
    if reply.hang {
        std::future::pending::<()>().await;
    }
    stream.send_data(Bytes::new(), true)
}

/// Each piece is a frame of its own.
async fn send(body: &[u8], reply: &Reply, stream: &mut SendStream<Bytes>) -> Result<(), h2::Error> {
    let size = reply.drip.map_or(body.len(), |it| it.bytes).max(1);
    for piece in body.chunks(size) {
        stream.send_data(Bytes::copy_from_slice(piece), false)?;
        if let Some(drip) = reply.drip.filter(|it| it.ms > 0) {
            sleep(Duration::from_millis(drip.ms)).await;
        }
    }
    Ok(())
}
