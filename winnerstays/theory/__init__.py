"""What is known without simulating: gambler's ruins, exact expected regret, the paper's theorems.

>>> from winnerstays.theory.expected import expected_regret
>>> round(expected_regret("cyclic").total.weak_binary, 4)
46.6499
"""
