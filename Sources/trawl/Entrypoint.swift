internal import Commands

/// The program is in Commands; this file only starts it.
@main
struct Entrypoint {
  static func main() {
    Program.main()
  }
}
