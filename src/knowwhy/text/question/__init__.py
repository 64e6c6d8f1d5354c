"""What a question asks for: a walk along relations, or all there is."""
