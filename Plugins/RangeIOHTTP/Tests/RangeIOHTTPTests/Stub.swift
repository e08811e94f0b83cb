// Written soon.
