"""What records state of each other, of people and of teams."""
