"""TetrAIs: what it claims, and how each claim is measured."""
