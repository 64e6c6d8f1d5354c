"""What a newcomer to a project reads in the first hits: real repositories, plain questions."""
