"""TetrAIs by Brahmbhatt and Patel: five agents from random to Q-learning."""
