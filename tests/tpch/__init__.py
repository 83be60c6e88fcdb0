"""TPC-H as a customer's private data: its rows, the policy, the 22 queries and what becomes of them."""
