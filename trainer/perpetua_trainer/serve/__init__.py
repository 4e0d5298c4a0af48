"""The policy server: samples from named policy versions and runs update steps, over HTTP on a Unix socket."""
