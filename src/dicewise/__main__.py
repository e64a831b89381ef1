"""`python -m dicewise`."""

import sys

from dicewise.cli import main

sys.exit(main())
