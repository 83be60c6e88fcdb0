"""Noise and selection, pure but for entropy.

Each mechanism states how sensitivity becomes loss, and is built and checked by OpenDP.
"""
