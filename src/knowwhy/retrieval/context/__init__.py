"""What a model is given: hits packed under a budget, each with its origin."""
