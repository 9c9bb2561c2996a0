//! Compiled programs, ready to be given to a host.

use std::fmt;
use std::fs::File;
use std::path::Path;

use gsw_abi::program::ToolBody;
use gsw_engine::load::{self, Loaded};

/// A compiled program. Loading checks every byte of it; it is trusted like an executable.
#[derive(Debug)]
pub struct Program {
    pub(crate) loaded: Loaded,
}

/// Why a program cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The image is damaged, or was built for another version or machine.
    Image(load::LoadError),
    /// The file cannot be read.
    File(std::io::Error),
    /// The source has errors; as `gswc check` prints them.
    #[cfg(feature = "compile")]
    Source(groundswell_build::BuildError),
}

impl Program {
    /// A program from an image, as `include_bytes!` gives it.
    ///
    /// # Errors
    /// When the image is damaged, or was built for another version or machine.
    pub fn from_image(bytes: &[u8]) -> Result<Self, LoadError> {
        let loaded = Loaded::from_bytes(bytes).map_err(LoadError::Image)?;
        Ok(Self { loaded })
    }

    /// A program from an image file, as `gswc build --emit image` writes it.
    ///
    /// # Errors
    /// As [`Program::from_image`], and when the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let file = File::open(path).map_err(LoadError::File)?;
        let length = file.metadata().map_err(LoadError::File)?.len();
        let loaded = Loaded::from_file(&file, 0, length).map_err(LoadError::Image)?;
        Ok(Self { loaded })
    }

    /// A program from its entry file, compiled now.
    ///
    /// # Errors
    /// When the source has errors.
    #[cfg(feature = "compile")]
    pub fn from_source(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let built = groundswell_build::compile(path.as_ref()).map_err(LoadError::Source)?;
        Self::from_image(&built.image)
    }

    /// Adds the compiler of this host, for models that may run what they write (`spawns: [written]`).
    #[cfg(feature = "compile")]
    #[must_use]
    pub fn with_compiler(self) -> Self {
        let compiler = std::sync::Arc::new(BuildCompiler);
        Self {
            loaded: self.loaded.with_compiler(compiler),
        }
    }

    /// Its name: the entry file's stem.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.loaded.program.name
    }

    /// The names of the workflows that can be started.
    #[must_use]
    pub fn workflows(&self) -> Vec<&str> {
        let workflows = self.loaded.program.workflows.iter();
        workflows.map(|it| it.name.as_str()).collect()
    }

    /// The names of the tools that it leaves to its host.
    #[must_use]
    pub fn host_tools(&self) -> Vec<&str> {
        let tools = self.loaded.program.tools.iter();
        tools
            .filter(|it| it.body == ToolBody::Host)
            .map(|it| it.name.as_str())
            .collect()
    }
}

#[cfg(feature = "compile")]
#[derive(Debug)]
struct BuildCompiler;

#[cfg(feature = "compile")]
impl load::plans::Compiler for BuildCompiler {
    fn compile(
        &self,
        source: &str,
        permissions: &gsw_abi::permission::Permitted,
    ) -> Result<Vec<u8>, String> {
        groundswell_build::compile_written(source, permissions)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(error) => error.fmt(f),
            Self::File(error) => write!(f, "the program cannot be read: {error}"),
            #[cfg(feature = "compile")]
            Self::Source(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}
