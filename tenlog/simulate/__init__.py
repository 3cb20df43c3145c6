"""Many games between bots: planned, played by processes, resumed, repeated.

A *plan* says which games there are: game i is a function of the plan and i alone. *Chunks* of
consecutive games are played by any process in any order and noted in a *journal* in the order of
the plan; so neither the number of processes nor an interruption can change what comes out.
"""
