//! The providers against a scripted server: what they send, what they accept, and when they try again.

mod anthropic;
mod connection;
mod crowd;
mod cuts;
mod openai;
mod pages;
mod retries;
mod stage;
mod traffic;
mod trouble;
