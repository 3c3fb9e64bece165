"""OpenAI's Chat Completions API below the Anthropic SDK (docs/adr/0081): a request to the Messages API is translated on
its way out, the answer on its way back.

`transport.py` sends → `request.py` translates the request → `stream.py`, `answer.py` translate the answer.
Source of both forms: the providers' API references; what servers do otherwise is said where it is provided for.
"""
