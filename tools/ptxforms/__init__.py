"""Every form of the PTX table: what it takes, what ptxas says to it, what a GPU answered."""
