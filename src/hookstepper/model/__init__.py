"""The nouns that every floor shares: plain frozen data, standard library only, nothing that runs."""
