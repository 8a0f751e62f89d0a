"""Structures over terms, from "Subscription Indexes for Web Syndication Systems" (EDBT 2012): CIL, RIL, ROT and POT."""
