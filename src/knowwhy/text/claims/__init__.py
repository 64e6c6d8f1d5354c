"""What one claim says: its subject, its value, what it rests on and what it ends."""
