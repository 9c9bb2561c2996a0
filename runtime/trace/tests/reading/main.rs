//! Files of events: whole ones, damaged ones, and what is made of them.

mod damage;
mod queries;
mod story;
