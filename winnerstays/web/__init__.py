"""Pages on top of the service: play a duel, look at what was learned. They know the arena's public interface only."""
