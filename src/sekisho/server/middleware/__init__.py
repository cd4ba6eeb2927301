"""What every request passes before and after its route: who asks, how much, how often; headers, logs, figures."""
