import Daemon
import LinuxSystem

Process.exit(Server.run(arguments: Array(CommandLine.arguments.dropFirst())))
