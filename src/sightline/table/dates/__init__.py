"""Dates, times and durations, typed or written as text."""
