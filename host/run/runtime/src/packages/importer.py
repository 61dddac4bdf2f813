"""What finds and loads the modules of packages. It stands behind Python's own finders, so that a script which imports no package pays nothing, and a module
of the standard library is never replaced."""

import importlib.metadata
import importlib.util
import io
import marshal
import posixpath
import re
import zipfile
import zlib
from importlib.machinery import ModuleSpec
from importlib.resources.abc import TraversableResources

# Where the files of packages seem to be.
ROOT = "/packages/"


def normalized(name):
    """A package's name, as indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Packages:
    """The finder and loader of all packages."""

    def __init__(self):
        # The archives that files are in, by the files' paths, and their names there.
        self.files = {}
        # Folders with files, and those that a module's name can stand for.
        self.folders = set()
        # Compiled and compressed code, by the paths of modules.
        self.codes = {}
        # Archives with their `.dist-info` folders, by the names of packages.
        self.distributions = {}

    def read(self, path):
        """The bytes of a file."""
        try:
            archive, name = self.files[path]
        except KeyError:
            raise FileNotFoundError(2, "No such file in the packages", ROOT + path) from None
        return archive.read(name)

    def place(self, name):
        """The path of a module, and whether it is a package; none if there is no such module."""
        base = name.replace(".", "/")
        for path, is_package in (base + "/__init__.py", True), (base + ".py", False):
            if path in self.files:
                return path, is_package
        return None

    def find_spec(self, name, path=None, target=None):
        place = self.place(name)
        base = name.replace(".", "/")
        if place is None:
            if base not in self.folders:
                return None
            # A namespace: packages share it.
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations.append(ROOT + base)
            return spec
        file, is_package = place
        spec = ModuleSpec(name, self, origin=ROOT + file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations.append(ROOT + base)
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__spec__.name), vars(module))

    def located(self, name):
        place = self.place(name)
        if place is None:
            raise ImportError(f"no package has the module {name!r}", name=name)
        return place

    def get_code(self, name):
        path, _ = self.located(name)
        if path in self.codes:
            return marshal.loads(zlib.decompress(self.codes[path]))
        return compile(self.read(path), ROOT + path, "exec", dont_inherit=True)

    def get_source(self, name):
        return importlib.util.decode_source(self.read(self.located(name)[0]))

    def get_filename(self, name):
        return ROOT + self.located(name)[0]

    def is_package(self, name):
        return self.located(name)[1]

    def get_data(self, path):
        return self.read(posixpath.normpath(path).removeprefix(ROOT))

    def get_resource_reader(self, name):
        return Resources(self, name) if self.is_package(name) else None

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        if context.name is None:
            return [Distribution(self, *place) for place in self.distributions.values()]
        name = normalized(context.name)
        return [Distribution(self, *self.distributions[name])] if name in self.distributions else []

    def invalidate_caches(self):
        pass


class Resources(TraversableResources):
    """The files of one package, for `importlib.resources`."""

    def __init__(self, packages, name):
        path, _ = packages.located(name)
        self._archive, self._name = packages.files[path]

    def files(self):
        return zipfile.Path(self._archive, self._name.removesuffix("__init__.py"))


class Distribution(importlib.metadata.Distribution):
    """What is known of one package, for `importlib.metadata`."""

    def __init__(self, packages, archive, folder):
        self._packages = packages
        self._archive = archive
        self._folder = folder

    def read_text(self, name):
        try:
            return self._archive.read(self._folder + name).decode()
        except (KeyError, UnicodeDecodeError):
            return None

    def locate_file(self, path):
        return ROOT + str(path)


def archive_of(content):
    return zipfile.ZipFile(io.BytesIO(content))
