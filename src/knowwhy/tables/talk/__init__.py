"""Conversations: messages as they are said, and what was read in them."""
