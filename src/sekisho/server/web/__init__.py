"""What every page of ours needs, whoever serves it; neither a contest nor a file is known here.

::

    headers · logs · slow_clients    what every request passes
    answers · refusals · words       how refusals are answered: to programs as objects, to people as pages
    render · assets · language       templates into pages, with our own style sheets and scripts
    forms · faults · documented      what forms bear, what is wrong with a file, what the OpenAPI document says
    receiving                        a file that arrives piece by piece: counted, capped, digested
"""
