"""Figures drawn as SVG, without script."""
