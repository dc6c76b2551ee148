import CommandLineInterface

CommandRunner.runProcess()
