"""The paper of Hindi et al.: its claims and how each claim is measured."""
