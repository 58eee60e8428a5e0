"""Whether a model judge can stand for a person: agreement with people, tests, bias, and means that a judge improves."""
