"""JupyterHub without a proxy and without servers of users: its API alone."""

import os

from jupyterhub.proxy import Proxy


class NoProxy(Proxy):
    should_start = False

    async def get_all_routes(self):
        return {}

    async def add_route(self, routespec, target, data):
        pass

    async def delete_route(self, routespec):
        pass


c = get_config()  # noqa: F821
c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = int(os.environ["HUB_PORT"])
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allowed_users = {f"user-{n:03}" for n in range(int(os.environ["HUB_USERS"]))}
c.JupyterHub.services = [{"name": "reader", "api_token": "fixed-token-of-the-list"}]
c.JupyterHub.load_roles = [
    {"name": "reader", "scopes": ["list:users", "read:users"], "services": ["reader"]}
]
