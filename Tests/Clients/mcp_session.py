"""The official client of the Model Context Protocol asks trawl mcp, once by each kind of handshake.

usage: mcp_session.py TRAWL DATA [RECORD]

DATA holds github (complete) and giphy (unproven) of the sandbox. The client itself checks each answer
against the schema that its tool declares. RECORD is a folder: what the client sent goes there, line by
line, for the tests; the cursor in it stands as {cursor}.
"""

import asyncio
import sys
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


def check(holds, what):
    if not holds:
        raise SystemExit(f"mcp: {what}")


async def ask(client, tool, **arguments):
    """What a tool answers, as text and as values."""
    answer = await client.call_tool(tool, arguments)
    check(not answer.is_error, f"{tool} {arguments}: {answer.content[0].text}")
    return answer.content[0].text, answer.structured_content


async def converse(client):
    """Gives the cursor that it asked with."""
    check("never instructions" in client.instructions, "texts of an API are data")
    names = [tool.name for tool in (await client.list_tools()).tools]
    check(names == ["lists", "describe", "query", "search", "changes", "why", "status"], f"{names}")

    text, lists = await ask(client, "lists")
    check({"complete", "unproven"} <= lists["verdicts"].keys(), f"{lists['verdicts']}")
    check("followers of octocat: complete (" in text, text)

    _, schema = await ask(client, "describe", table="github_users")
    login = next(c for c in schema["columns"] if c["column"] == "login")
    check(login["source"] == "login" and "followers" in login["streams"], f"{login}")
    check(schema["tables"][0]["rows"] > 0, f"{schema['tables']}")

    text, whole = await ask(client, "query", sql="SELECT count(*) FROM github_users")
    check(whole["trust"]["verdict"] == "complete", f"{whole['trust']}")
    text, less = await ask(
        client, "query",
        sql="WITH c AS (SELECT count(*) n FROM giphy_gifs) SELECT n, (SELECT count(*) FROM github_users) FROM c")
    check(less["trust"]["verdict"] == "unproven", f"{less['trust']}")
    check("search q=cat: unproven" in text and "followers of octocat: complete" in text, text)
    _, cut = await ask(client, "query", sql="SELECT * FROM items", limit=3)
    check(len(cut["rows"]) == 3 and cut["cut"] == "rows", f"{cut['cut']}")

    text, found = await ask(client, "search", words=["cat"], limit=2)
    check(found["trust"]["lists"] > 0 and "Trust: " in text, text)

    _, now = await ask(client, "changes", table="github_users", after="now")
    _, none = await ask(client, "changes", table="github_users", after=now["cursor"])
    check(none["rows"] == [] and none["cursor"] == now["cursor"], f"{none['rows']}")
    check(none["trust"]["verdict"] == "complete", f"{none['trust']}")

    text, why = await ask(client, "why", table="github_users", key=583231, column="login")
    check(why["there"] and why["columns"][0]["value"] == "octocat", f"{why['columns']}")
    check(why["answers"][0]["place"] > 0 and why["columns"][0]["run"], f"{why['answers']}")
    text, absent = await ask(client, "why", table="github_users", key="1")
    check(not absent["there"] and "complete lists" in absent["absence"], f"{absent['absence']}")

    _, status = await ask(client, "status", job="github")
    check(status["jobs"][0]["standing"] == "up to date", f"{status['jobs'][0]['standing']}")

    for tool, arguments, words in [
        ("query", {"sql": "DELETE FROM github_users"}, "only reads"),
        ("query", {"sql": "SELECT logni FROM github_users"}, 'did you mean "login"'),
        ("lists", {"jobs": "github"}, 'did you mean "job"'),
    ]:
        wrong = await client.call_tool(tool, arguments)
        check(wrong.is_error and words in wrong.content[0].text, f"{wrong.content[0].text}")
    try:
        await client.call_tool("delete", {})
    except MCPError as error:
        check(error.code == -32602, f"{error}")
    else:
        check(False, "a tool that is not there has answered")
    return now["cursor"]


async def main(trawl, data, record):
    for mode in ["legacy", "auto"]:
        command = StdioServerParameters(command=trawl, args=["mcp", "--data", data])
        if record:
            line = f"tee '{record}/{mode}.jsonl' | '{trawl}' mcp --data '{data}'"
            command = StdioServerParameters(command="sh", args=["-c", line])
        async with Client(stdio_client(command), mode=mode) as client:
            cursor = await converse(client)
            print(f"{mode:<7} {client.protocol_version}: seven tools, each answer with its trust")
        if record:
            sent = Path(record, f"{mode}.jsonl")
            sent.write_text(sent.read_text().replace(cursor, "{cursor}"))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] else None))
