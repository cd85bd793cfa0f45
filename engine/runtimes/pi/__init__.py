"""pi, https://github.com/badlogic/pi-mono; observed on 0.73.1."""
