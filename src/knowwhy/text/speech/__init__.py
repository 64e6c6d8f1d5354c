"""What people and assistants say: their own words, and the claims in them."""
