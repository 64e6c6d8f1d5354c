"""Several agents that share one memory: who they are, what they lend and hand over, what they did.

A door says who the owner is; here it is decided what an agent may do, and every act is noted.
"""
