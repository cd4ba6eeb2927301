"""Bad uploads to a contest's server: where they go, those made by hand, and those spoilt by chance."""
