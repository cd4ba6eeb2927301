"""What the verbs share: answers, refusals, exit statuses, progress, and commands made from registries."""
