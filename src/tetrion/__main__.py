"""Entry point of the command `tetrion` and of `python -m tetrion`; it loads nothing before Ctrl-C is handled."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C prints one line and ends with exit code 130 at every moment."""
    try:
        run_in_process()
    except KeyboardInterrupt:  # during the import of the module that handles Ctrl-C, which is therefore repeated
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt this
        from tetrion.interrupts import EXIT_STOPPED, report_stop

        report_stop()
        sys.exit(EXIT_STOPPED)


def run_in_process() -> None:
    """Run the command line in a process of its own, whose handling of Ctrl-C is set here."""
    unraisables: list[sys.UnraisableHookArgs] = []  # Ctrl-C in a callback of the import, which Python ignores
    report_unraisable, sys.unraisablehook = sys.unraisablehook, unraisables.append
    from tetrion import interrupts

    sys.unraisablehook = report_unraisable
    interrupts.set_interrupt_handler(interrupts.exit_at_once)
    interrupts.repeat_lost_interrupts()
    for unraisable in unraisables:
        sys.unraisablehook(unraisable)
    from tetrion.cli import main as run_command_line

    interrupts.set_interrupt_handler(interrupts.interrupt_after_import)
    try:
        run_command_line()
    finally:
        interrupts.set_interrupt_handler(interrupts.exit_at_once)


if __name__ == "__main__":
    main()
