"""The club desk (工作台): what a club's own operators work with, limited to their club, under /clubs/<slug>/desk/.

The pages parse, call and render; what they do is done by the functions that the API and the admin call.
"""
