"""What an update minimises: the losses over blocks of rollouts, and what it reports."""
