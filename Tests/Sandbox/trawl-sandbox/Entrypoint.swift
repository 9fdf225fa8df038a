internal import Base
internal import SandboxKit

@main
struct Entrypoint {
  static func main() {
    if let complaint = ProcessFolder.complaint {
      Console.fail(complaint.sentence, status: complaint.status)
    }
    do throws(SandboxArguments.Problem) {
      switch try SandboxArguments.parse(Array(CommandLine.arguments.dropFirst())) {
      case .show(let text): Console.print(text)
      case .serve(let arguments): Service.run(arguments)
      }
    } catch {
      Console.fail("\(error.description)\n", status: 64)
    }
  }
}
