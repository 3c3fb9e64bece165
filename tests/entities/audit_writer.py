"""A process that appends to the audit until it is killed: `python -m tests.entities.audit_writer WORKSPACE`.

Prints the number of each row once its transaction has committed, and works a while between writing and committing.
"""

import sys
import time


def main(workspace: int) -> None:
    from entities.access import Scope
    from entities.audit import record_action

    scope, number = Scope.for_service(workspace), 0
    while True:
        number += 1
        with scope.open():
            record_action(scope, "entity.changed", "killed", number)
            time.sleep(0.005)
        print(number, flush=True)


if __name__ == "__main__":
    import django

    django.setup()
    main(int(sys.argv[1]))
