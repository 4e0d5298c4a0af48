"""The policy server: samples of named policy versions, and update steps, over HTTP on a unix socket."""
