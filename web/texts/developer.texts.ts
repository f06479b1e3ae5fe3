import { defineTexts } from './define-texts.js';

/** Texts of Settings → Developer. */
export const developerTexts = defineTexts(
  {
    title: 'Developer',
    about: 'Connect assistants and programs to this organization with its API key.',
    key: {
      title: 'API key',
      about: 'An organization has one key. Whoever has it can do what you allow agents to do.',
      none: 'No key yet',
      noneAbout: 'Make a key, then connect an assistant with one of the snippets below.',
      make: 'Make a key',
      replace: 'Replace the key',
      revoke: 'Revoke',
      shape: 'Key',
      created: 'Made',
      used: 'Last used',
      never: 'never',
      replaceTitle: 'Replace the key?',
      replaceText:
        'The present key stops working at once, and everything that uses it is refused until it has the new one.',
      revokeTitle: 'Revoke the key?',
      revokeText: 'The key stops working at once. This cannot be undone.',
      revoked: 'The key was revoked.',
      shownTitle: 'Your new API key',
      shownText:
        'Copy it now. It is shown this one time, because only a fingerprint of it is stored.',
      stored: 'I have stored the key',
      name: 'API key',
    },
    connect: {
      title: 'Connect',
      about: 'Each snippet holds the address of this Switchboard.',
      withKey: 'They hold your new key until you leave this page.',
      withoutKey: 'Put your key in the place of YOUR_API_KEY.',
      claude: 'Run this in a terminal. Claude Code then lists the tools with /mcp.',
      cursor: 'Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project.',
      vscode: 'Put this into .vscode/mcp.json of a project, or let VS Code install it.',
      install: 'Install in VS Code',
      inspector: 'Lists the tools with the MCP Inspector, which needs Node.js only.',
      curl: 'Calls a tool without any assistant.',
      hosted: 'Hosted assistants',
      hostedText:
        'Assistants that run in a browser or in the cloud of their maker, such as claude.ai and ChatGPT, take no API key: they need OAuth and an address that the internet can reach. Switchboard does not offer OAuth yet. Use an assistant on your own machine until then.',
      terminal: 'Terminal',
    },
  },
  {
    title: 'Entwickler',
    about: 'Verbinden Sie Assistenten und Programme über den API-Schlüssel dieser Organisation.',
    key: {
      title: 'API-Schlüssel',
      about:
        'Eine Organisation hat einen Schlüssel. Wer ihn hat, kann tun, was Sie Agenten erlauben.',
      none: 'Noch kein Schlüssel',
      noneAbout:
        'Erstellen Sie einen Schlüssel und verbinden Sie dann einen Assistenten mit einem der Bausteine unten.',
      make: 'Schlüssel erstellen',
      replace: 'Schlüssel ersetzen',
      revoke: 'Widerrufen',
      shape: 'Schlüssel',
      created: 'Erstellt',
      used: 'Zuletzt benutzt',
      never: 'nie',
      replaceTitle: 'Den Schlüssel ersetzen?',
      replaceText:
        'Der jetzige Schlüssel gilt sofort nicht mehr. Alles, was ihn benutzt, wird abgewiesen, bis es den neuen hat.',
      revokeTitle: 'Den Schlüssel widerrufen?',
      revokeText: 'Der Schlüssel gilt sofort nicht mehr. Das lässt sich nicht rückgängig machen.',
      revoked: 'Der Schlüssel wurde widerrufen.',
      shownTitle: 'Ihr neuer API-Schlüssel',
      shownText:
        'Kopieren Sie ihn jetzt. Er wird nur dieses eine Mal gezeigt, denn gespeichert wird nur ein Fingerabdruck.',
      stored: 'Ich habe den Schlüssel gespeichert',
      name: 'API-Schlüssel',
    },
    connect: {
      title: 'Verbinden',
      about: 'Jeder Baustein enthält die Adresse dieses Switchboards.',
      withKey: 'Sie enthalten Ihren neuen Schlüssel, bis Sie diese Seite verlassen.',
      withoutKey: 'Setzen Sie Ihren Schlüssel an die Stelle von YOUR_API_KEY.',
      claude: 'Im Terminal ausführen. Claude Code zeigt die Werkzeuge dann mit /mcp.',
      cursor: 'Gehört in ~/.cursor/mcp.json oder in .cursor/mcp.json eines Projekts.',
      vscode: 'Gehört in .vscode/mcp.json eines Projekts, oder VS Code installiert es.',
      install: 'In VS Code installieren',
      inspector: 'Zeigt die Werkzeuge mit dem MCP Inspector, der nur Node.js braucht.',
      curl: 'Ruft ein Werkzeug ganz ohne Assistenten auf.',
      hosted: 'Gehostete Assistenten',
      hostedText:
        'Assistenten, die im Browser oder in der Cloud ihres Herstellers laufen, etwa claude.ai und ChatGPT, nehmen keinen API-Schlüssel: Sie brauchen OAuth und eine Adresse, die das Internet erreicht. OAuth bietet Switchboard noch nicht. Nutzen Sie bis dahin einen Assistenten auf Ihrem Gerät.',
      terminal: 'Terminal',
    },
  },
);
